// A whole number given to an option.
import { WorkerError } from '../domain/errors.js';

/** @throws WorkerError `usage` for anything but a whole number from `min` to `max` */
export function wholeNumber(option: string, value: unknown, min: number, max: number): number {
  const number = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new WorkerError(
    'usage',
    `${option} has the value "${value}"; write a whole number from ${min} to ${max}.`,
  );
}

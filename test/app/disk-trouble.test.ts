import { expect, it } from 'vitest';
import { diskTrouble } from '../../src/app/disk-trouble.js';
import { WorkerError } from '../../src/domain/errors.js';

const fault = (code: string, path?: string): Error => Object.assign(new Error(code), { code, path });

it('tells a disk that refuses as what it is', () => {
  expect(diskTrouble(fault('ENOSPC', '/state/x'))).toMatchObject({
    code: 'store-unusable',
    message: 'The disk is full: /state/x.',
  });
  expect(diskTrouble(fault('EROFS'))?.message).toBe('The file system is read-only.');
});

it('leaves everything else as it is', () => {
  expect(diskTrouble(fault('ECONNREFUSED'))).toBeUndefined();
  expect(diskTrouble(new WorkerError('usage', 'x'))).toBeUndefined();
  expect(diskTrouble('text')).toBeUndefined();
});

// Tells several observers the same, and keeps one that fails from hurting the others.
import type { Observer } from '../ports/observer.js';

/**
 * Calls each in order. An observer that throws breaks its promise: the others are told all the same, and
 * `onThrow` hears of it, once per observer.
 */
export function fanOut(observers: readonly Observer[], onThrow?: (error: unknown) => void): Observer {
  const broken = new Set<Observer>();
  return {
    on(event) {
      for (const observer of observers) {
        try {
          observer.on(event);
        } catch (error) {
          if (broken.has(observer)) continue;
          broken.add(observer);
          onThrow?.(error);
        }
      }
    },
  };
}

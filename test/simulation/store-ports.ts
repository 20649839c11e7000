// The store's ports in a process that can die: each call takes its time, may fail, and happens whole or not at all.
import type { Store } from '../../src/mailbox/index.js';
import type { Life } from './life.js';

type Port = 'mailbox' | 'outbox' | 'ledger' | 'slots';
const PORTS: readonly Port[] = ['mailbox', 'outbox', 'ledger', 'slots'];

/** Every method of these ports answers a promise. */
type Method = (...args: unknown[]) => Promise<unknown>;

export function mortalStore(store: Store, life: Life): Store {
  const ports = Object.fromEntries(PORTS.map((name) => [name, mortal(store[name], name, life)]));
  const { lease } = store;
  return {
    ...store,
    ...(ports as Pick<Store, Port>),
    lease: {
      acquire: () => life.call('lease.acquire', () => lease.acquire()),
      release: () => life.call('lease.release', () => lease.release(), { store: false }),
      show: () => lease.show(),
      evict: (owner) => lease.evict(owner),
      last: () => lease.last(),
      get lost() {
        return lease.lost;
      },
    },
  };
}

function mortal<T extends object>(port: T, name: string, life: Life): T {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) =>
        life.call(`${name}.${String(key)}`, () => (method as Method).apply(target, args));
    },
  });
}

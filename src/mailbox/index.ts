// The mailbox room's door: the store, and how to tell a full disk.
export { openStore, type Store, type StoreOptions } from './open-store.js';
export { isDiskFull } from './store-errors.js';

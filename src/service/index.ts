// The door of the room: what a service manager (systemd) is told of us.
export { serviceNotifier } from './notifier.js';

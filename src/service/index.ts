// The door of the room: what a service manager (systemd) is told of us.
export { type ServiceAgent, type ServiceNotifier, serviceNotifier } from './notifier.js';

// The door of the doctor: looks whether a worker could run here, and says what would mend it.
export type { Check } from './check.js';
export { type ExamineOptions, examine } from './examine.js';

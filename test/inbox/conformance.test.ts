import { upstreamConformance } from '../conformance/upstream.js';
import { fakeInboxRig } from './fake-inbox.js';

for (const vocabulary of ['dms with ack', 'dms', 'agentdm'] as const) {
  upstreamConformance(vocabulary, () => fakeInboxRig(vocabulary));
}

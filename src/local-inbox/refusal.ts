// Why the inbox refuses a call: AgentDM's documented error codes, and two of ours.

type RefusalCode =
  | 'alias_not_found'
  | 'channel_not_found'
  | 'not_channel_member'
  | 'message_not_found'
  | 'message_too_long'
  | 'self_message'
  | 'invalid_alias'
  // Ours: AgentDM documents no code for arguments of a wrong shape or an empty message.
  | 'invalid_arguments'
  | 'empty_message';

/** A refusal is an outcome, not a fault: `message` is a sentence for the caller, and holds no message text. */
export type Refusal = { code: RefusalCode; message: string };

export function refusal(code: RefusalCode, message: string): Refusal {
  return { code, message };
}

// Where the reports are, under `/control/`: one spelling for the command line and for the dashboard's page.
import type { MessageQuery, Span } from '../ports/reports.js';

export const reportPaths = {
  turns: (limit: number) => `turns?limit=${limit}`,
  conversations: 'conversations',
  messages({ states, conversation, before, limit }: MessageQuery): string {
    const query = new URLSearchParams({ limit: String(limit) });
    if (states !== undefined) query.set('states', states.join(','));
    if (conversation !== undefined) query.set('conversation', conversation);
    if (before !== undefined) query.set('before', String(before));
    return `messages?${query}`;
  },
  idsLike: (prefix: string) => `ids?${new URLSearchParams({ prefix })}`,
  series: ({ from, to, bucketMs }: Span & { bucketMs: number }) =>
    `series?from=${from}&to=${to}&bucket=${bucketMs}`,
  latencies: ({ from, to }: Span) => `latencies?from=${from}&to=${to}`,
  message: (id: string) => `messages/${encodeURIComponent(id)}`,
};

/** Returns the message that all measured servers send to their subscribers, with the keys of the chat API. */
export function createTestMessage(id: number, content: string): Record<string, unknown> {
  return {
    id,
    sender_id: 10,
    content: `<p>${content}</p>`,
    recipient_id: 20,
    timestamp: Math.floor(Date.now() / 1000),
    client: 'bench',
    subject: 'benchmark',
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    sender_full_name: 'King Hamlet',
    sender_email: 'user10@localhost',
    sender_realm_str: 'zulip',
    display_recipient: 'Verona',
    type: 'stream',
    stream_id: 1,
    avatar_url: null,
    content_type: 'text/html',
  };
}

export const createTestMessageJson = (id: number, content: string): string =>
  JSON.stringify(createTestMessage(id, content));

/** What clients that do not know the empty topic see in its place, and may write for it (chat.md 4). */
export const emptyTopicName = 'general chat';

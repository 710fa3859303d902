import fc from 'fast-check';

const verona = { subscriptions: '[{"name": "Verona"}]' };
const later = '4000000000';
const narrowParameters = { anchor: 'newest', num_before: '5', num_after: '0' };

/** Valid requests by method and path, for endpoints whose schema alone rarely produces a valid request. */
export const acceptedRequests: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'GET /api/v1/messages': [narrowParameters],
  'POST /api/v1/messages': [
    { type: 'channel', to: 'Verona', topic: 't', content: 'c' },
    { type: 'direct', to: '[1]', content: 'c' },
  ],
  'PATCH /api/v1/messages/{message_id}': [{ content: 'x' }, { topic: 'x', propagate_mode: 'change_later' }],
  'POST /api/v1/messages/{message_id}/reactions': [{ emoji_name: 'smile' }],
  'DELETE /api/v1/messages/{message_id}/reactions': [{ emoji_name: 'smile' }],
  'POST /api/v1/messages/{message_id}/report': [{ report_type: 'spam' }],
  'POST /api/v1/messages/flags': [{ messages: '[1, 2]', op: 'add', flag: 'read' }],
  'POST /api/v1/messages/flags/narrow': [{ ...narrowParameters, op: 'add', flag: 'read' }],
  'POST /api/v1/mark_topic_as_read': [{ stream_id: '1', topic_name: 'x' }],
  'POST /api/v1/submessage': [{ message_id: '1', msg_type: 'widget', content: '{}' }],
  'POST /api/v1/streams/{stream_id}/delete_topic': [{ topic_name: 'x' }],
  'GET /api/v1/events': [{ queue_id: 'x', last_event_id: '-1', dont_block: 'true' }],
  'POST /api/v1/register': [
    { fetch_event_types: '["message"]' },
    { fetch_event_types: '["message"]', last_known: '{"queue_id":"x","last_event_id":-1}' },
  ],
  'GET /api/v1/events/stream': [{ queue_id: 'x', last_event_id: '-1' }],
  'GET /api/v1/get_stream_id': [{ stream: 'Verona' }],
  'POST /api/v1/channels/create': [{ name: 'made by chance', subscribers: '[]' }],
  'POST /api/v1/default_streams': [{ stream_id: '1' }],
  'DELETE /api/v1/default_streams': [{ stream_id: '1' }],
  'POST /api/v1/users/me/subscriptions': [verona],
  'DELETE /api/v1/users/me/subscriptions': [{ subscriptions: '["Verona"]' }],
  'PATCH /api/v1/users/me/subscriptions': [{ delete: '["Verona"]' }],
  'POST /api/v1/users/me/subscriptions/properties': [
    { subscription_data: '[{"stream_id": 1, "property": "color", "value": "#abcdef"}]' },
  ],
  'PATCH /api/v1/users/me/subscriptions/{stream_id}': [{ property: 'color', value: '#abcdef' }],
  'PATCH /api/v1/users/me/subscriptions/muted_topics': [{ stream_id: '1', topic: 'x', op: 'add' }],
  'POST /api/v1/user_topics': [{ stream_id: '1', topic: 'x', visibility_policy: '1' }],
  'POST /api/v1/channel_folders/create': [{ name: 'by chance', description: '' }],
  'PATCH /api/v1/channel_folders': [{ order: '[]' }],
  'POST /api/v1/users/me/api_keys': [{ name: 'by chance', scopes: '["read"]' }],
  'POST /api/v1/users': [{ email: 'new@example.com', password: 'long enough', full_name: 'A B' }],
  'POST /api/v1/user_groups/create': [{ name: 'another', description: '', members: '[]' }],
  'PATCH /api/v1/user_groups/{user_group_id}': [{ description: 'x' }],
  'POST /api/v1/bots': [{ full_name: 'B C', short_name: 'b' }],
  'POST /api/v1/scheduled_messages': [
    { type: 'channel', to: '1', topic: 't', content: 'c', scheduled_delivery_timestamp: later },
    { type: 'direct', to: '[8]', content: 'c', scheduled_delivery_timestamp: later },
  ],
  'PATCH /api/v1/scheduled_messages/{scheduled_message_id}': [
    { content: 'x' },
    { scheduled_delivery_timestamp: later },
    { type: 'direct', to: '[8]' },
  ],
  'POST /api/v1/reminders': [{ message_id: '1', scheduled_delivery_timestamp: later }],
  'POST /api/v1/export/realm': [{ export_type: 'public' }, { export_type: 'full_with_consent' }],
  'POST /api/v1/realm/playgrounds': [
    { name: 'by chance', pygments_language: 'Python', url_template: 'https://example.com/{code}' },
  ],
  'POST /api/v1/default_stream_groups/create': [
    { group_name: 'by chance', description: '', stream_names: '["Verona"]' },
  ],
  'PATCH /api/v1/default_stream_groups/{group_id}': [{ new_group_name: 'x' }, { new_description: 'x' }],
  'PATCH /api/v1/default_stream_groups/{group_id}/streams': [
    { op: 'add', stream_names: '["Denmark"]' },
    { op: 'remove', stream_names: '["Verona"]' },
  ],
};

const tus = { 'Tus-Resumable': '1.0.0' };
const uploadLengths = { 'Upload-Length': '4', 'Upload-Metadata': 'filename YS50eHQ=,filetype dGV4dC9wbGFpbg==' };

/** A key of several requests. The endpoint responds 422 to the second of them if the requests differ. */
const repeatedKey = 'by chance';

/** Generates keys of requests that are not sent again, and in a tenth of the cases a key of an earlier request. */
const idempotencyKey = fc.oneof(
  { weight: 9, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.constant(repeatedKey) },
);

/** Headers of valid requests by method and path, for endpoints that read headers. */
export const acceptedHeaders: Readonly<Record<string, fc.Arbitrary<Readonly<Record<string, string>>>>> = {
  'POST /api/v1/messages': idempotencyKey.map((key) => ({ 'Idempotency-Key': key })),
  'GET /api/v1/events/stream': fc.constant({ 'Last-Event-ID': '-1' }),
  'POST /api/v1/tus': fc.constant({ ...tus, ...uploadLengths }),
  'PATCH /api/v1/tus/{id}': fc.constant({ ...tus, 'Upload-Offset': '0' }),
  'HEAD /api/v1/tus/{id}': fc.constant(tus),
  'DELETE /api/v1/tus/{id}': fc.constant(tus),
};

/** Types for the functions of the client library zulip-js that the tests use. The package has no types. */
declare module 'zulip-js' {
  type ResponseBody = { result: string; msg: string; [key: string]: unknown };
  type Call<A = unknown> = (parameters?: object) => Promise<ResponseBody & A>;
  interface ZulipClient {
    config: object;
    accounts: { retrieve: Call<{ api_key: string; email: string }> };
    callEndpoint(path: string, method?: string, parameters?: object): Promise<ResponseBody>;
    /** Polls for events forever and calls `callback` with each event. The returned promise never resolves. */
    callOnEachEvent(callback: (event: { id: number; type: string }) => void, types?: string[]): Promise<never>;
    emojis: { retrieve: Call };
    events: { retrieve: Call<{ events: { id: number; type: string }[] }> };
    filters: { retrieve: Call };
    messages: {
      send: Call<{ id: number }>;
      retrieve: Call<{ messages: { id: number }[] }>;
      render(content: string | object): Promise<ResponseBody & { rendered: string }>;
      update: Call;
      flags: { add: Call; remove: Call };
      getById: Call<{ message: { content: string; flags: string[]; reactions: object[] } }>;
      getHistoryById: Call<{ message_history: { topic: string }[] }>;
      deleteReactionById: Call;
      deleteById: Call;
    };
    queues: { register: Call<{ queue_id: string; last_event_id: number }>; deregister: Call };
    reactions: { add: Call; remove: Call };
    server: { settings: Call };
    streams: {
      retrieve: Call<{ streams: { name: string }[] }>;
      getStreamId(name: string | object): Promise<ResponseBody & { stream_id: number }>;
      subscriptions: { retrieve: Call<{ subscriptions: { name: string }[] }> };
      topics: { retrieve: Call<{ topics: { name: string }[] }> };
      deleteById: Call;
    };
    typing: { send: Call };
    users: {
      retrieve: Call<{ members: object[] }>;
      create: Call<{ user_id: number }>;
      me: {
        pointer: { retrieve: Call; update(id: number): Promise<ResponseBody> };
        getProfile: Call<{ user_id: number }>;
        subscriptions: { add: Call; remove: Call };
        alertWords: { retrieve: Call };
      };
    };
  }
  export default function createZulipClient(
    config: { username: string; password?: string; apiKey?: string; realm: string } | { zuliprc: string },
  ): Promise<ZulipClient>;
}

/** The part of the public client that the suite uses; the package brings no types. */
declare module 'zulip-js' {
  type Answer = { result: string; msg: string; [key: string]: unknown };
  interface ZulipClient {
    queues: {
      register(parameters?: object): Promise<Answer & { queue_id: string; last_event_id: number }>;
      deregister(parameters: { queue_id: string }): Promise<Answer>;
    };
    events: {
      retrieve(parameters: {
        queue_id: string;
        last_event_id: number;
        dont_block?: boolean;
      }): Promise<Answer & { events: { id: number; type: string }[] }>;
    };
    messages: {
      send(parameters: object): Promise<Answer & { id: number }>;
      retrieve(parameters: object): Promise<Answer & { messages: { id: number }[] }>;
    };
    users: {
      retrieve(): Promise<Answer & { members: object[] }>;
      me: { getProfile(): Promise<Answer & { user_id: number }> };
    };
  }
  export default function createZulipClient(config: {
    username: string;
    password?: string;
    apiKey?: string;
    realm: string;
  }): Promise<ZulipClient>;
}

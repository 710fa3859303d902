import { WebSocket } from 'undici';

/**
 * Controls the V8 engine of another process through V8's debugger protocol. The measured service therefore runs
 * unmodified.
 */
export class V8InspectorClient {
  private lastId = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async connect(port: number): Promise<V8InspectorClient> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new V8InspectorClient(socket);
  }

  async collectGarbage(): Promise<void> {
    // The second collection removes objects that weak references and finalizers retained.
    await this.callInspectorMethod('HeapProfiler.collectGarbage');
    await this.callInspectorMethod('HeapProfiler.collectGarbage');
  }

  async measureHeapMegabytesAfterGc(): Promise<number> {
    await this.collectGarbage();
    const { usedSize } = (await this.callInspectorMethod('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize / 1024 / 1024;
  }

  close(): void {
    this.socket.close();
  }

  private callInspectorMethod(method: string): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve) => {
      const onMessage = ({ data }: { data: unknown }): void => {
        const response = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (response.id !== id) return;
        this.socket.removeEventListener('message', onMessage);
        resolve(response.result);
      };
      this.socket.addEventListener('message', onMessage);
      this.socket.send(JSON.stringify({ id, method }));
    });
  }
}

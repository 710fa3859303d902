type ResponseJsonObject = Readonly<Record<string, unknown>>;

/**
 * Client of the inventory API for the network benchmark. Also creates the objects to which new devices refer: device
 * types, a role and a site.
 */
export class InventoryNetworkClient {
  #basics: ResponseJsonObject = {};
  #count = 0;

  private constructor(
    readonly origin: string,
    private readonly token: string,
  ) {}

  /** HTTP headers that the client sends with each request. */
  get requestHeaders(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }

  /**
   * Creates a device type with 52 component templates, a device type without templates, a device role and a site.
   * Returns a client that uses these objects.
   */
  static async createWithBasicObjects(origin: string, token: string): Promise<InventoryNetworkClient> {
    const client = new InventoryNetworkClient(origin, token);
    const manufacturer = await client.createObject('manufacturers', { name: 'Acme', slug: 'acme' });
    const role = await client.createObject('device-roles', { name: 'Switch', slug: 'switch' });
    const site = await client.createObject('sites', { name: 'Here', slug: 'here' });
    const full = await client.createObject('device-types', { manufacturer, model: 'Switch', slug: 'switch' });
    const empty = await client.createObject('device-types', { manufacturer, model: 'Panel', slug: 'panel' });
    const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
    const templates = [
      ['interface-templates', names('eth', 48), { type: '1000base-t' }],
      ['power-port-templates', names('psu', 2), {}],
      ['console-port-templates', names('con', 2), {}],
    ] as const;
    for (const [path, all, more] of templates) {
      await client.sendJsonRequest(
        'POST',
        path,
        all.map((name) => ({ device_type: full, name, ...more })),
        201,
      );
    }
    client.#basics = { role, site, full, empty };
    return client;
  }

  /**
   * Creates devices with components in one request. Returns their ids and the duration of the request in milliseconds.
   */
  async createDevices(count: number): Promise<{ readonly ids: readonly number[]; readonly ms: number }> {
    const { role, site, full } = this.#basics;
    const bodies = Array.from({ length: count }, () => ({ role, site, device_type: full, name: this.#nextName() }));
    return this.#timeRequest('devices', bodies);
  }

  /** Creates a device without components for a patch panel. Returns the id of the device. */
  createPatchPanelDevice(): Promise<number> {
    const { role, site, empty } = this.#basics;
    return this.createObject('devices', { role, site, device_type: empty, name: this.#nextName() });
  }

  /** Creates a rack with one device at each of its height units. */
  async createRackFullOfDevices(units: number): Promise<number> {
    const { role, site, empty } = this.#basics;
    const rack = await this.createObject('racks', { site, name: this.#nextName(), u_height: units });
    const bodies = Array.from({ length: units }, (_, unit) => ({
      role,
      site,
      rack,
      device_type: empty,
      face: 'front',
      position: unit + 1,
      name: this.#nextName(),
    }));
    await this.sendJsonRequest('POST', 'devices', bodies, 201);
    return rack;
  }

  /** Creates the given number of interfaces on a new device. Returns the ids of the interfaces. */
  async createInterfacesOnNewDevice(count: number): Promise<readonly number[]> {
    const device = await this.createPatchPanelDevice();
    const bodies = Array.from({ length: count }, (_, n) => ({ device, name: `eth${n}`, type: '1000base-t' }));
    const made = await this.sendJsonRequest('POST', 'interfaces', bodies, 201);
    return (made as { id: number }[]).map(({ id }) => id);
  }

  /** Connects pairs of consecutive interfaces with cables, in one request. */
  createCables(interfaces: readonly number[]): Promise<{ readonly ids: readonly number[]; readonly ms: number }> {
    const end = (id: number | undefined): ResponseJsonObject[] => [{ object_type: 'dcim.interface', object_id: id }];
    const bodies = Array.from({ length: interfaces.length / 2 }, (_, n) => ({
      a_terminations: end(interfaces[2 * n]),
      b_terminations: end(interfaces[2 * n + 1]),
    }));
    return this.#timeRequest('cables', bodies);
  }

  /** Deletes objects in one request. Returns the duration of the request in milliseconds. */
  async deleteObjects(path: string, ids: readonly number[]): Promise<number> {
    const started = performance.now();
    await this.sendJsonRequest(
      'DELETE',
      path,
      ids.map((id) => ({ id })),
      204,
    );
    return performance.now() - started;
  }

  /** Creates an object. Returns its id. */
  async createObject(path: string, body: ResponseJsonObject): Promise<number> {
    return ((await this.sendJsonRequest('POST', path, body, 201)) as { id: number }).id;
  }

  /** Sends a request with a JSON body. @throws Error if the response has a status other than the expected status */
  async sendJsonRequest(method: string, path: string, body: unknown, status: number): Promise<unknown> {
    const url = `${this.origin}/api/dcim/${path}/`;
    const { requestHeaders: headers } = this;
    const content = body === null ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url, { method, headers, ...content });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`);
    return text === '' ? null : JSON.parse(text);
  }

  async #timeRequest(
    path: string,
    bodies: readonly ResponseJsonObject[],
  ): Promise<{ readonly ids: readonly number[]; readonly ms: number }> {
    const started = performance.now();
    const made = await this.sendJsonRequest('POST', path, bodies, 201);
    return { ms: performance.now() - started, ids: (made as { id: number }[]).map(({ id }) => id) };
  }

  #nextName(): string {
    this.#count += 1;
    return `device-${this.#count}`;
  }
}

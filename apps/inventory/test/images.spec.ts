import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { formOf, picture } from './support/create-object-by-api.js';

type Json = Record<string, unknown>;

describe('images of objects', () => {
  let test: TestInventory;
  let site = 0;
  let type = 0;
  beforeAll(async () => {
    test = await startInventory({ MEDIA_MAX_BYTES: '20000' });
    const make = async (path: string, json: Json): Promise<number> =>
      (await test.api.post<{ id: number }>(`/api/${path}/`, { json })).body.id;
    site = await make('dcim/sites', { name: 'Amsterdam', slug: 'amsterdam' });
    await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
    type = await make('dcim/device-types', { manufacturer: { slug: 'acme' }, model: 'Box', slug: 'box' });
  });
  afterAll(() => test.close());

  const attach = async (fields: Json) =>
    test.api.post<Json>(
      '/api/extras/image-attachments/',
      await formOf({ object_type: 'dcim.site', object_id: site, ...fields }),
    );
  const change = async (fields: Json) => test.api.patch<Json>(`/api/dcim/device-types/${type}/`, await formOf(fields));
  const files = async (): Promise<string[]> => {
    const entries = await readdir(test.inventory.config.MEDIA_ROOT, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  const fetched = async (address: unknown, client = test.api) => {
    const { status, headers } = await client.get(new URL(String(address)).pathname, { unchecked: true });
    return [status, headers['content-type']];
  };

  it('have the name, visibility and lifetime of their object', async () => {
    const { status, body } = await attach({ name: 'Front door', image: picture('x.y.png') });
    expect([status, body]).toMatchObject([
      201,
      {
        display: 'Front door',
        image: `http://localhost/media/image-attachments/site_${site}_Front_door.png`,
        image_width: 1,
        image_height: 1,
        image_size: 70,
        parent: { name: 'Amsterdam' },
      },
    ]);
    const again = await attach({ name: 'Front door', image: picture('x.png') });
    expect(again.body['image']).toMatch(/\/site_\d+_Front_door_[0-9a-f]{7}\.png$/);
    const named = await attach({ image: picture('../../ETC/pass wd.png') });
    expect(named.body).toMatchObject({
      display: 'pass_wd.png',
      image: `http://localhost/media/image-attachments/site_${site}_pass_wd.png`,
    });
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'plain', password: 'Twelve chars 1' },
    });
    expect(await fetched(body['image'])).toEqual([200, 'image/png']);
    expect(await fetched(body['image'], await test.clientOf(user.id))).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
    expect((await fetched(body['image'], test.stranger))[0]).toBe(403);
    const removed = [body, again.body, named.body].map(({ id }) => ({ id }));
    expect((await test.api.delete('/api/extras/image-attachments/', { json: removed })).status).toBe(204);
    expect((await fetched(body['image']))[0]).toBe(404);
    expect(await files()).toEqual([]);
  });

  it('can be replaced, remain when omitted, and are removed by null or an empty value', async () => {
    const first = await change({ front_image: picture('front.png'), rear_image: picture('rear.png') });
    expect(first.body).toMatchObject({
      front_image: 'http://localhost/media/devicetype-images/front.png',
      rear_image: 'http://localhost/media/devicetype-images/rear.png',
    });
    const kept = await test.api.patch<Json>(`/api/dcim/device-types/${type}/`, { json: { description: 'x' } });
    expect(kept.body['front_image']).toBe(first.body['front_image']);
    const second = await change({ front_image: picture('newer.png') });
    expect((await files()).toSorted()).toEqual(['newer.png', 'rear.png']);
    expect(await fetched(second.body['front_image'])).toEqual([200, 'image/png']);
    const found = async (query: string) =>
      (await test.api.get<{ count: number }>(`/api/dcim/device-types/?${query}`)).body.count;
    expect([await found('has_front_image=true'), await found('has_rear_image=false')]).toEqual([1, 0]);
    const cleared = await test.api.patch<Json>(`/api/dcim/device-types/${type}/`, { json: { front_image: null } });
    expect(cleared.body['front_image']).toBeNull();
    const emptied = await change({ rear_image: '' });
    expect(emptied.body['rear_image']).toBeNull();
    expect(await files()).toEqual([]);
  });

  it('leave no file when the object is rejected', async () => {
    const refused = await attach({ object_id: 999, image: picture('x.png') });
    expect([refused.status, refused.body]).toEqual([
      400,
      { non_field_errors: ['Invalid assigned_object: DCIM > Site ID 999'] },
    ]);
    await test.api.post('/api/ipam/rirs/', { json: { name: 'RIR', slug: 'rir' } });
    const unfit = await attach({ object_type: 'ipam.rir', object_id: 1, image: picture('x.png') });
    expect([unfit.status, unfit.body]).toEqual([
      400,
      { __all__: ['Image attachments cannot be assigned to this object type (IPAM > RIR).'] },
    ]);
    const form = await formOf({ manufacturer: 1, model: 'Box', slug: 'other', front_image: picture('x.png') });
    const clash = await test.api.post('/api/dcim/device-types/', form);
    expect(clash).toMatchObject({
      status: 400,
      body: { __all__: ['Device type with this Manufacturer and Model already exists.'] },
    });
    expect(await files()).toEqual([]);
  });

  it('must be files in an image format that do not exceed the size limit', async () => {
    const file = (name: string, content: string): File => new File([content], name);
    const refused = async (image: unknown, message: string): Promise<void> => {
      const { status, body } = await attach({ image });
      expect([status, body]).toEqual([400, { image: [message] }]);
    };
    const invalid = 'Upload a valid image. The file you uploaded was either not an image or a corrupted image.';
    await refused(file('x.png', 'no picture'), invalid);
    await refused(file('x.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'), invalid);
    await refused(file('x.png', ''), 'The submitted file is empty.');
    await refused('x.png', 'The submitted data was not a file. Check the encoding type on the form.');
    expect((await attach({})).body).toEqual({ image: ['This field is required.'] });
    const large = await formOf({ image: file('x.png', 'x'.repeat(30_000)) });
    expect(await test.api.post('/api/extras/image-attachments/', { ...large, unchecked: true })).toMatchObject({
      status: 413,
      body: { detail: 'Request body is too large.' },
    });
    const broken = await test.api.post('/api/extras/image-attachments/', {
      payload: 'nothing of a form',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(broken).toMatchObject({
      status: 400,
      body: { detail: 'Multipart form parse error - Malformed form data' },
    });
    for (const path of ['/media/', '/media/none.png', '/media/..%2f..%2fpackage.json', '/media/image-attachments/']) {
      expect((await test.api.get(path, { unchecked: true })).status).toBe(404);
    }
  });

  it('accept file parts of a form whose text parts are the other fields of the object', async () => {
    const form = await formOf({ name: 'Berlin', slug: 'berlin', latitude: '52.5', status: 'planned' });
    const { status, body } = await test.api.post('/api/dcim/sites/', form);
    expect([status, body]).toMatchObject([201, { name: 'Berlin', latitude: 52.5, status: { value: 'planned' } }]);
  });
});

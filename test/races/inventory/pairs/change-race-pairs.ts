import { modelRegistry } from '../../../../apps/inventory/src/models/index.js';
import { fixtures } from '../../../../apps/inventory/test/support/fixtures.js';
import type { RacePair } from '../../race-pair.js';
import type { InventoryWorld } from '../race-test-inventory-data.js';

/** Models whose objects the suite changes concurrently: one model from each app of the API. */
const changedModels = [
  'circuits.circuit',
  'core.datasource',
  'dcim.site',
  'extras.tag',
  'ipam.vrf',
  'tenancy.tenant',
  'users.objectpermission',
  'virtualization.cluster',
  'vpn.tunnel',
  'wireless.wirelesslan',
];

/**
 * Races between two changes of one object. Both changes must be stored. The state before the change in a change record
 * must equal the state after the previous change.
 */
export const changePairs: readonly RacePair<InventoryWorld>[] = changedModels.map((type) => ({
  slice: type.split('.')[0] ?? type,
  title: `a ${type} is changed twice`,
  async arrange(world) {
    const model = modelRegistry.find(type);
    if (model === null) throw new Error(`${type} is not declared`);
    const id = await world.make(model);
    const path = world.pathOf(model, id);
    return {
      writes: [
        () => world.send('PATCH', path, fixtures[type]?.patch.body),
        () => world.send('PATCH', path, { description: 'changed at the same time' }),
      ],
      async check(responses) {
        const findings = responses.flatMap(({ status, body }) =>
          status === 200 ? [] : [`${type}: PATCH ${status} ${JSON.stringify(body)}`],
        );
        const { body: shown } = await world.send('GET', path);
        if (Object(shown)['description'] !== 'changed at the same time') findings.push(`${type}: a change is lost`);
        findings.push(...(await world.brokenChain(model, id)));
        await world.send('DELETE', path);
        return findings;
      },
    };
  },
}));

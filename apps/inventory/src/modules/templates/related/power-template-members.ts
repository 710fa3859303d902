import { FloatValue, PendingLoad, type RelatedList, TemplateMethod } from '@switchboard/templates';
import type { ObjectBatch, VisitCounter } from './related-object-batch.js';
import type { PowerDraws } from './compute-power-draws.js';

/** Names of fields whose value null is an empty list in templates. */
const emptyListMembers = new Set(['connected_endpoints', 'link_peers']);

/** Returns the value of a field for templates: an empty list instead of null for {@link emptyListMembers}. */
export function emptyListForNull(name: string, value: unknown): unknown {
  return value === null && emptyListMembers.has(name) ? [] : value;
}

/** A member that a template reads from an object with an id, which belongs to a batch. */
interface PowerMember {
  readonly id: number;
  readonly name: string;
  readonly batch: ObjectBatch;
  readonly looks: VisitCounter;
}

/** Power ports that a power port supplies. */
export interface SuppliedPorts {
  /** Objects that are loaded together with the supplying power port. */
  readonly batch: ObjectBatch;
  readonly ids: readonly number[];
  /** Returns the ids of the power ports supplied by any power port in the batch. */
  readonly all: () => Promise<readonly number[]>;
}

/**
 * Finds a member of power ports, power feeds and racks that the reference server computes from the cables of power
 * ports. Returns undefined for other names.
 *
 * @param listOf creates the list of the power ports that a power port supplies
 */
export function findPowerMember(
  draws: PowerDraws,
  { id, name, batch, looks }: PowerMember,
  listOf: (ports: SuppliedPorts) => RelatedList,
): unknown {
  const others = (): Promise<readonly number[]> => batch.listIdsIncluding(id, looks);
  switch (`${batch.model.type} ${name}`) {
    case 'dcim.powerport get_power_draw':
      return new TemplateMethod(name, () => draws.getPowerDraw(id, others));
    case 'dcim.powerport get_downstream_powerports':
      return new TemplateMethod(name, ({ positional: [first = null], named }) => {
        const leg = named.get('leg') ?? first;
        const ids = draws.getSuppliedPorts(id, typeof leg === 'string' ? leg : null, others);
        const all = async (): Promise<readonly number[]> =>
          (await others()).flatMap((each) => draws.getLoadedSuppliedPorts(each));
        return ids instanceof PendingLoad ? ids : listOf({ batch, ids, all });
      });
    case 'dcim.powerfeed available_power':
      return draws.getAvailablePower(id, others);
    case 'dcim.rack get_power_utilization':
      return new TemplateMethod(name, () => {
        const found = draws.getUtilization(id, others);
        return typeof found === 'number' ? new FloatValue(found) : (found ?? 0);
      });
    default:
      return undefined;
  }
}

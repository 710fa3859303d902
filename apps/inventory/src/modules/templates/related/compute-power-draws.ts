import { PendingLoad } from '@switchboard/templates';
import { powerFeedLegs } from '../../../models/dcim/power-outlet-types.js';
import { createAvailablePowerSql } from '../../../models/dcim/power-feed.js';
import type { RelatedRowLoader } from './related-row-loader.js';

/** Power draw of a power port, in volt-amperes. */
interface PowerPortDraw {
  readonly allocated: number;
  readonly maximum: number;
  /** Number of power outlets that the power port supplies with power. */
  readonly outlet_count: number;
}

/**
 * Power draw of a power port. If the power port is connected to a three-phase feed, `legs` contains the power draw of
 * each leg. `legs` is empty for other power ports.
 */
export interface PowerPortDrawByLeg extends PowerPortDraw {
  readonly legs: readonly (PowerPortDraw & { readonly name: string })[];
}

/** A power port with its stored power draw, power outlets, and the power ports connected with those outlets. */
interface PowerPort {
  readonly allocated: number | null;
  readonly maximum: number | null;
  readonly isOnThreePhases: boolean;
  readonly outlets: Map<number, { readonly leg: string | null; readonly ports: number[] }>;
}

/**
 * Total available power of the power feeds of a rack, and the ids of the power ports that are connected with the feeds.
 */
interface RackPowerFeeds {
  readonly available: number;
  readonly ports: readonly number[];
}

/**
 * Function that returns the ids of further objects. These objects are read in the same SQL statement as the requested
 * object.
 */
type AdditionalObjectIdsGetter = () => readonly number[] | Promise<readonly number[]>;

type PowerPortRow = readonly [
  id: string,
  allocated: number | null,
  maximum: number | null,
  isOnThreePhases: boolean,
  outlet: string | null,
  leg: string | null,
  port: string | null,
];

/**
 * Computes power draws for templates. The power draw of a power port depends on the cables of its outlets
 * (docs/contract/inventory.md 3.3). A method returns a {@link PendingLoad} if data must be read first. Objects that the
 * user may not view do not count.
 */
export class PowerDrawCalculator {
  readonly #ports = new Map<number, PowerPort | null>();
  readonly #available = new Map<number, number | null>();
  readonly #racks = new Map<number, RackPowerFeeds>();

  constructor(private readonly loader: Pick<RelatedRowLoader, 'runSelect'>) {}

  /**
   * Returns the power draw of a power port: the stored draw, or else the sum of the draws of all ports that the outlets
   * supply. Each port counts once.
   *
   * @param others returns ids of further ports to read in the same statement
   */
  getPowerDraw(id: number, others: AdditionalObjectIdsGetter): PowerPortDrawByLeg | PendingLoad {
    if (!this.#ports.has(id))
      return new PendingLoad(async () => this.#readPorts(await listUnreadObjectIds(this.#ports, others)));
    const port = this.#ports.get(id) ?? null;
    const count = (leg: string | null): number => listOutletsOnLeg(port, leg).length;
    const own = getStoredPowerDraw(port);
    if (own !== null) return { ...own, outlet_count: count(null), legs: [] };
    const drawOf = (leg: string | null): PowerPortDraw => ({ ...this.#sumDraws(id, leg), outlet_count: count(leg) });
    const legs = port?.isOnThreePhases === true ? Object.entries(powerFeedLegs) : [];
    return { ...drawOf(null), legs: legs.map(([leg, name]) => ({ name, ...drawOf(leg) })) };
  }

  /**
   * Returns the ids of the power ports that are connected with the outlets of a power port. With `leg`, returns only
   * the power ports on that leg.
   */
  getSuppliedPorts(id: number, leg: string | null, others: AdditionalObjectIdsGetter): readonly number[] | PendingLoad {
    if (!this.#ports.has(id))
      return new PendingLoad(async () => this.#readPorts(await listUnreadObjectIds(this.#ports, others)));
    return listSuppliedPorts(this.#ports.get(id) ?? null, leg);
  }

  /**
   * Returns the ids of all power ports that a power port supplies. Returns an empty list if the power port has not been
   * read.
   */
  getLoadedSuppliedPorts(id: number): readonly number[] {
    return listSuppliedPorts(this.#ports.get(id) ?? null, null);
  }

  /**
   * Returns the available power of a power feed, in volt-amperes. Returns undefined if the user may not view the power
   * feed.
   */
  getAvailablePower(id: number, others: AdditionalObjectIdsGetter): number | undefined | PendingLoad {
    if (!this.#available.has(id))
      return new PendingLoad(async () => this.#readFeeds(await listUnreadObjectIds(this.#available, others)));
    return this.#available.get(id) ?? undefined;
  }

  /**
   * Returns the allocated power of a rack, in percent of the power that is available in the rack. Returns null if no
   * power is available.
   */
  getRackPowerUtilization(rack: number, others: AdditionalObjectIdsGetter): number | null | PendingLoad {
    const feeds = this.#racks.get(rack);
    if (feeds === undefined)
      return new PendingLoad(async () => this.#readRacks(await listUnreadObjectIds(this.#racks, others)));
    if (feeds.available === 0) return null;
    let allocated = 0;
    for (const port of feeds.ports) {
      const draw = this.getPowerDraw(port, () => feeds.ports);
      if (draw instanceof PendingLoad) return draw;
      allocated += draw.allocated;
    }
    return Number(((allocated / feeds.available) * 100).toFixed(1));
  }

  #sumDraws(id: number, leg: string | null): { readonly allocated: number; readonly maximum: number } {
    const seen = new Set([id]);
    const left = listSuppliedPorts(this.#ports.get(id) ?? null, leg);
    let [allocated, maximum] = [0, 0];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const port = this.#ports.get(next) ?? null;
      const own = getStoredPowerDraw(port);
      allocated += own?.allocated ?? 0;
      maximum += own?.maximum ?? 0;
      if (own === null) left.push(...listSuppliedPorts(port, null));
    }
    return { allocated, maximum };
  }

  async #readPorts(ids: readonly number[]): Promise<void> {
    const rows = await this.loader.runSelect<PowerPortRow>(({ parameters, visible }) => {
      const outlets = `o.power_port_id = p.id AND ${visible('dcim.poweroutlet', 'o')}`;
      const behind = `d.cable_id = o.cable_id AND d.cable_end <> o.cable_end AND ${visible('dcim.powerport', 'd')}`;
      return `WITH RECURSIVE port (id) AS (
          SELECT unnest(${parameters.add(ids, 'bigint[]')})
          UNION SELECT d.id FROM port p JOIN dcim_poweroutlet o ON ${outlets} JOIN dcim_powerport d ON ${behind})
        SELECT p.id, p.allocated_draw, p.maximum_draw, (SELECT count(*) = 1 AND bool_and(f.phase = 'three-phase')
            FROM dcim_powerfeed f WHERE f.cable_id = p.cable_id AND f.cable_end <> p.cable_end AND ${visible('dcim.powerfeed', 'f')}),
          o.id, o.feed_leg, d.id
        FROM port JOIN dcim_powerport p USING (id) LEFT JOIN dcim_poweroutlet o ON ${outlets} LEFT JOIN dcim_powerport d ON ${behind}
        WHERE ${visible('dcim.powerport', 'p')} ORDER BY p.id, o.id, d.id`;
    });
    const read = new Map<number, PowerPort | null>(ids.map((id) => [id, null]));
    for (const [key, allocated, maximum, isOnThreePhases, outlet, leg, behind] of rows) {
      const port = read.get(Number(key)) ?? { allocated, maximum, isOnThreePhases, outlets: new Map() };
      read.set(Number(key), port);
      if (outlet === null) continue;
      const own = port.outlets.get(Number(outlet)) ?? { leg, ports: [] };
      port.outlets.set(Number(outlet), own);
      if (behind !== null) own.ports.push(Number(behind));
    }
    for (const [id, port] of read) this.#ports.set(id, port);
  }

  async #readFeeds(ids: readonly number[]): Promise<void> {
    const rows = await this.loader.runSelect<readonly [string, string]>(
      ({ parameters, visible }) => `SELECT f.id, ${createAvailablePowerSql('f')} FROM dcim_powerfeed f
        WHERE f.id = ANY (${parameters.add(ids, 'bigint[]')}) AND ${visible('dcim.powerfeed', 'f')}`,
    );
    for (const id of ids) this.#available.set(id, null);
    for (const [id, available] of rows) this.#available.set(Number(id), Number(available));
  }

  async #readRacks(ids: readonly number[]): Promise<void> {
    const rows = await this.loader.runSelect<readonly [string, string, string, string | null]>(
      ({ parameters, visible }) => `SELECT f.rack_id, f.id, ${createAvailablePowerSql('f')}, p.id FROM dcim_powerfeed f
        LEFT JOIN dcim_powerport p ON p.cable_id = f.cable_id AND p.cable_end <> f.cable_end AND ${visible('dcim.powerport', 'p')}
        WHERE f.rack_id = ANY (${parameters.add(ids, 'bigint[]')}) AND ${visible('dcim.powerfeed', 'f')}`,
    );
    for (const id of ids) {
      const own = rows.filter(([rack]) => Number(rack) === id);
      const available = new Map(own.map(([, feed, power]) => [feed, Number(power)]));
      this.#racks.set(id, {
        available: [...available.values()].reduce((sum, power) => sum + power, 0),
        ports: own.flatMap(([, , , port]) => (port === null ? [] : [Number(port)])),
      });
    }
  }
}

async function listUnreadObjectIds(
  known: ReadonlyMap<number, unknown>,
  ids: AdditionalObjectIdsGetter,
): Promise<readonly number[]> {
  return (await ids()).filter((id) => !known.has(id));
}

/** Returns the power draw that is stored for a power port. Returns null if no power draw is stored. */
function getStoredPowerDraw(port: PowerPort | null): { readonly allocated: number; readonly maximum: number } | null {
  if (port === null || (port.allocated === null && port.maximum === null)) return null;
  return { allocated: port.allocated ?? 0, maximum: port.maximum ?? 0 };
}

function listOutletsOnLeg(
  port: PowerPort | null,
  leg: string | null,
): readonly { readonly ports: readonly number[] }[] {
  return [...(port?.outlets.values() ?? [])].filter((outlet) => leg === null || outlet.leg === leg);
}

function listSuppliedPorts(port: PowerPort | null, leg: string | null): number[] {
  return [...new Set(listOutletsOnLeg(port, leg).flatMap(({ ports }) => ports))];
}

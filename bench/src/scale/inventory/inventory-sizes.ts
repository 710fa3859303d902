import type { DatabaseSizeName } from '../scale-app.js';

/** Numbers of inventory objects that are generated for one database size. */
export interface GeneratedInventorySize {
  /** Number of devices. The database has the same number of interfaces, of addresses and of prefixes. */
  readonly devices: number;
  readonly changes: number;
  /** Number of webhook deliveries that wait, and are shown as background tasks. */
  readonly deliveries: number;
}

export const generatedInventorySizes: Readonly<Record<DatabaseSizeName, GeneratedInventorySize>> = {
  small: { devices: 1_000, changes: 5_000, deliveries: 900 },
  middle: { devices: 100_000, changes: 500_000, deliveries: 9_000 },
  large: { devices: 1_000_000, changes: 5_000_000, deliveries: 90_000 },
};

/** Numbers of inventory objects to generate for one database size, computed from the number of devices. */
export class GeneratedInventoryObjectCounts {
  readonly sites: number;
  readonly racks: number;
  /** Number of devices with ten interfaces each. Other devices have at most one interface. */
  readonly fullDevices: number;
  /**
   * Number of prefixes with 16 addresses each. Each group of 16 such prefixes has a common parent prefix, and so does
   * each group of 4,096.
   */
  readonly smallPrefixes: number;

  constructor(readonly size: GeneratedInventorySize) {
    this.sites = Math.max(20, size.devices / 1000);
    this.racks = Math.max(25, size.devices / 40);
    this.fullDevices = size.devices / 100;
    this.smallPrefixes = Math.floor((size.devices * 0.97) / (1 + 1 / 16 + 1 / 4096));
  }
}

export const interfacesPerFullDevice = 10;
export const tenantCount = 50;
export const vrfCount = 11;
export const platformCount = 10;

import type { SizeName } from '../app.js';

/** The amounts of one size. */
export interface InventorySize {
  /** Devices, and as many interfaces, addresses and prefixes. */
  readonly devices: number;
  readonly changes: number;
}

export const inventorySizes: Readonly<Record<SizeName, InventorySize>> = {
  small: { devices: 1_000, changes: 5_000 },
  middle: { devices: 100_000, changes: 500_000 },
  large: { devices: 1_000_000, changes: 5_000_000 },
};

/** Amounts that follow from the number of devices. */
export class InventoryAmounts {
  readonly sites: number;
  readonly racks: number;
  /** The first devices have ten interfaces each, others one or none. */
  readonly fullDevices: number;
  /** Prefixes of 16 addresses; each 16 of them have one above, and each 4,096. */
  readonly smallPrefixes: number;

  constructor(readonly size: InventorySize) {
    this.sites = Math.max(20, size.devices / 1000);
    this.racks = Math.max(25, size.devices / 40);
    this.fullDevices = size.devices / 100;
    this.smallPrefixes = Math.floor((size.devices * 0.97) / (1 + 1 / 16 + 1 / 4096));
  }
}

export const interfacesOfFullDevice = 10;
export const tenants = 50;
export const vrfs = 11;
export const platforms = 10;

/** Models whose objects paths begin at. They have `trace/`. */
export const tracedModels: readonly string[] = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.interface',
  'dcim.powerfeed',
  'dcim.poweroutlet',
  'dcim.powerport',
];

/** Models whose objects paths lead over. They have `paths/`. */
export const crossedModels: readonly string[] = [
  'circuits.circuittermination',
  'circuits.virtualcircuittermination',
  'dcim.frontport',
  'dcim.rearport',
];

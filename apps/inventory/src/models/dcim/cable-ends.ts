const passThrough = ['dcim.frontport', 'dcim.rearport'];
const ports = ['dcim.consoleport', 'dcim.consoleserverport', 'dcim.interface', 'circuits.circuittermination'];

/** What the other side of a cable may be, by what one side is (contract 3.3). */
export const compatibleEnds: Readonly<Record<string, readonly string[]>> = {
  'circuits.circuittermination': ['circuits.circuittermination', 'dcim.interface', ...passThrough],
  'dcim.consoleport': ['dcim.consoleserverport', ...passThrough],
  'dcim.consoleserverport': ['dcim.consoleport', ...passThrough],
  'dcim.frontport': [...ports, ...passThrough],
  'dcim.interface': ['circuits.circuittermination', 'dcim.interface', ...passThrough],
  'dcim.powerfeed': ['dcim.powerport'],
  'dcim.poweroutlet': ['dcim.powerport'],
  'dcim.powerport': ['dcim.poweroutlet', 'dcim.powerfeed'],
  'dcim.rearport': [...ports, ...passThrough],
};

/** The models that a cable can end at. */
export const cableEndTypes: readonly string[] = Object.keys(compatibleEnds);

/** Models whose objects have images. */
export const withImages = [
  'circuits.circuit',
  'dcim.device',
  'dcim.devicetype',
  'dcim.location',
  'dcim.moduletype',
  'dcim.powerpanel',
  'dcim.rack',
  'dcim.racktype',
  'dcim.site',
  'virtualization.virtualmachine',
  'virtualization.virtualmachinetype',
];

/** Labels of the types of L2VPNs, by stored value. */
export const l2vpnTypes = {
  vpws: 'VPWS',
  vpls: 'VPLS',
  vxlan: 'VXLAN',
  'vxlan-evpn': 'VXLAN-EVPN',
  'mpls-evpn': 'MPLS EVPN',
  'pbb-evpn': 'PBB EVPN',
  'evpn-vpws': 'EVPN VPWS',
  epl: 'EPL',
  evpl: 'EVPL',
  'ep-lan': 'Ethernet Private LAN',
  'evp-lan': 'Ethernet Virtual Private LAN',
  'ep-tree': 'Ethernet Private Tree',
  'evp-tree': 'Ethernet Virtual Private Tree',
  spb: 'SPB',
};

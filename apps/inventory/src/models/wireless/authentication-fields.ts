import { choice } from '../../engine/field-types/choice.js';
import { sealed } from '../../engine/field-types/secret.js';

/** Authentication types of wireless networks. */
const authenticationTypes = {
  open: 'Open',
  wep: 'WEP',
  'wpa-personal': 'WPA Personal (PSK)',
  'wpa-enterprise': 'WPA Enterprise',
};

/** Ciphers of wireless networks. */
const authenticationCiphers = { auto: 'Auto', tkip: 'TKIP', aes: 'AES' };

/** Authentication settings of a wireless network or link. */
export const authenticationFields = {
  auth_type: choice(authenticationTypes, { nullable: true }),
  auth_cipher: choice(authenticationCiphers, { nullable: true }),
  auth_psk: sealed({ max: 64, label: 'pre-shared key' }),
};

/** Labels of the connector types of console ports, by stored value. */
export const consolePortTypes = {
  'de-9': 'DE-9',
  'db-25': 'DB-25',
  'rj-11': 'RJ-11',
  'rj-12': 'RJ-12',
  'rj-45': 'RJ-45',
  'mini-din-8': 'Mini-DIN 8',
  'usb-a': 'USB Type A',
  'usb-b': 'USB Type B',
  'usb-c': 'USB Type C',
  'usb-mini-a': 'USB Mini A',
  'usb-mini-b': 'USB Mini B',
  'usb-micro-a': 'USB Micro A',
  'usb-micro-b': 'USB Micro B',
  'usb-micro-ab': 'USB Micro AB',
  other: 'Other',
};

/** Labels of the speeds of console ports, by stored value in bits per second. */
export const consolePortSpeeds = {
  1200: '1200 bps',
  2400: '2400 bps',
  4800: '4800 bps',
  9600: '9600 bps',
  19200: '19.2 kbps',
  38400: '38.4 kbps',
  57600: '57.6 kbps',
  115200: '115.2 kbps',
};

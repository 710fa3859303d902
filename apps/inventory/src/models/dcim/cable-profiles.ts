/**
 * Labels of the cable profiles, by stored value. A profile determines how positions at one end of a cable are connected
 * with positions at the other end.
 */
export const cableProfiles = {
  'single-1c1p': '1C1P',
  'single-1c2p': '1C2P',
  'single-1c4p': '1C4P',
  'single-1c6p': '1C6P',
  'single-1c8p': '1C8P',
  'single-1c12p': '1C12P',
  'single-1c16p': '1C16P',
  'trunk-2c1p': '2C1P trunk',
  'trunk-2c2p': '2C2P trunk',
  'trunk-2c4p': '2C4P trunk',
  'trunk-2c4p-shuffle': '2C4P trunk (shuffle)',
  'trunk-2c6p': '2C6P trunk',
  'trunk-2c8p': '2C8P trunk',
  'trunk-2c12p': '2C12P trunk',
  'trunk-4c1p': '4C1P trunk',
  'trunk-4c2p': '4C2P trunk',
  'trunk-4c4p': '4C4P trunk',
  'trunk-4c4p-shuffle': '4C4P trunk (shuffle)',
  'trunk-4c6p': '4C6P trunk',
  'trunk-4c8p': '4C8P trunk',
  'trunk-8c4p': '8C4P trunk',
  'breakout-1c2p-2c1p': '1C2P:2C1P breakout',
  'breakout-1c4p-4c1p': '1C4P:4C1P breakout',
  'breakout-1c6p-6c1p': '1C6P:6C1P breakout',
  'breakout-1c8p-8c1p': '1C8P:8C1P breakout',
  'breakout-2c4p-8c1p-shuffle': '2C4P:8C1P breakout (shuffle)',
};

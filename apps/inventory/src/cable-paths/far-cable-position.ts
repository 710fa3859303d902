/** A position within a connector of a cable, such as a fiber of a plug. */
export interface CableConnectorPosition {
  readonly connector: number;
  readonly position: number;
}

/**
 * Returns the connector and position at the other side of a cable with a profile, or null if the position is not
 * connected. The database function `dcim_far_position` computes the same result for positions of existing connectors.
 */
export function getOppositeCablePosition(
  profile: string,
  side: string,
  { connector, position }: CableConnectorPosition,
): CableConnectorPosition | null {
  if (profile === 'trunk-2c4p-shuffle') {
    return {
      connector: getPositionPairIndex(position) + 1,
      position: (connector - 1) * 2 + ((position - 1) % 2) + 1,
    };
  }
  if (profile === 'trunk-4c4p-shuffle') return { connector: position, position: connector };
  if (!profile.startsWith('breakout-')) return { connector, position };
  // The connectors at side B of a breakout have one position.
  if (side !== 'A' && position !== 1) return null;
  if (profile.endsWith('-shuffle')) {
    return side === 'A'
      ? {
          connector: getPositionPairIndex(position) * 4 + (connector - 1) * 2 + ((position - 1) % 2) + 1,
          position: 1,
        }
      : {
          connector: Math.floor(((connector - 1) % 4) / 2) + 1,
          position: Math.floor((connector - 1) / 4) * 2 + ((connector - 1) % 2) + 1,
        };
  }
  return side === 'A' ? { connector: position, position: 1 } : { connector: 1, position: connector };
}

function getPositionPairIndex(position: number): number {
  return Math.floor((position - 1) / 2);
}

import { describe, expect, it } from 'vitest';
import { listFreeBlocksWithin, listCoveringNetworks, chooseFreeNetworks } from './find-free-address-blocks.js';

const whole = { first: 0n, last: 255n };
const bits = 8;

describe('free blocks of a network', () => {
  it('returns the gaps between used blocks that may overlap or contain each other', () => {
    const taken = [
      { first: 0n, last: 63n },
      { first: 16n, last: 31n },
      { first: 128n, last: 128n },
    ];
    expect(listFreeBlocksWithin(whole, taken)).toEqual([
      { first: 64n, last: 127n },
      { first: 129n, last: 255n },
    ]);
    expect(listFreeBlocksWithin(whole, [whole])).toEqual([]);
  });

  it('splits a block into the fewest networks, in order', () => {
    expect(
      [...listCoveringNetworks({ first: 1n, last: 255n }, bits)].map(({ address, length }) => `${address}/${length}`),
    ).toEqual(['1/8', '2/7', '4/6', '8/5', '16/4', '32/3', '64/2', '128/1']);
    expect([...listCoveringNetworks(whole, bits)]).toEqual([{ address: 0n, length: 0 }]);
  });

  it('chooses the first gap that is large enough for each requested prefix length', () => {
    const gaps = [
      { first: 4n, last: 7n },
      { first: 32n, last: 127n },
    ];
    expect(chooseFreeNetworks(gaps, [3, 8, 6, 3], bits)?.map(({ address }) => address)).toEqual([32n, 4n, 64n, 96n]);
    expect(chooseFreeNetworks(gaps, [1], bits)).toBeNull();
  });
});

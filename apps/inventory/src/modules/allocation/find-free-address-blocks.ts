/** A block of consecutive IP addresses. Stores the first address and the last address as numbers. */
export interface AddressBlock {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Returns the parts of a block of addresses that are in none of the taken blocks. The taken blocks must be sorted by
 * their first address.
 */
export function listFreeBlocksWithin(whole: AddressBlock, taken: Iterable<AddressBlock>): AddressBlock[] {
  const gaps: AddressBlock[] = [];
  let next = whole.first;
  for (const { first, last } of taken) {
    if (first > next) gaps.push({ first: next, last: first - 1n });
    if (last + 1n > next) next = last + 1n;
  }
  if (next <= whole.last) gaps.push({ first: next, last: whole.last });
  return gaps;
}

/** An IP network. Stores the first address as a number, and the mask length. */
export interface IpNetwork {
  readonly address: bigint;
  readonly length: number;
}

/**
 * Yields the networks that together cover exactly a block of addresses. Yields as few networks as possible, in
 * ascending order.
 */
export function* listCoveringNetworks({ first, last }: AddressBlock, bits: number): Generator<IpNetwork> {
  let next = first;
  while (next <= last) {
    let size = 0;
    while (
      size < bits &&
      (next & ((1n << BigInt(size + 1)) - 1n)) === 0n &&
      next + (1n << BigInt(size + 1)) - 1n <= last
    ) {
      size += 1;
    }
    yield { address: next, length: bits - size };
    next += 1n << BigInt(size);
  }
}

/**
 * Returns one free network for each requested prefix length. Each network is taken from the first gap between existing
 * prefixes that is large enough. Returns null if a network does not fit into any gap.
 */
export function chooseFreeNetworks(
  gaps: readonly AddressBlock[],
  lengths: readonly number[],
  bits: number,
): IpNetwork[] | null {
  let left = [...gaps];
  const taken: IpNetwork[] = [];
  for (const length of lengths) {
    const size = 1n << BigInt(bits - length);
    const found = findFirstFittingAddress(left, length, bits);
    if (found === null) return null;
    taken.push({ address: found, length });
    left = left.flatMap((gap) =>
      found < gap.first || found > gap.last
        ? [gap]
        : listFreeBlocksWithin(gap, [{ first: found, last: found + size - 1n }]),
    );
  }
  return taken;
}

function findFirstFittingAddress(gaps: readonly AddressBlock[], length: number, bits: number): bigint | null {
  for (const gap of gaps) {
    for (const network of listCoveringNetworks(gap, bits)) if (network.length <= length) return network.address;
  }
  return null;
}

/** Returns a 53-bit hash of a string, encoded in base 36. It is not cryptographic: use it only for trusted input. */
export function toHash(text: string): string {
  return toHashNumber(text).toString(36)
}

/** Returns the same hash as a number, which is faster to compare and to combine. */
export function toHashNumber(text: string): number {
  const hash = new Hash()
  hash.add(text)
  return hash.endNumber()
}

/** An incremental hash of several strings. The boundaries matter: `ab`, `c` and `a`, `bc` have different hashes. */
export class Hash {
  #high = 0xdeadbeef
  #low = 0x41c6ce57

  add(text: string): void {
    let high = this.#high
    let low = this.#low
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      high = Math.imul(high ^ unit, 0x9e3779b1)
      low = Math.imul(low ^ unit, 0x5f356495)
    }
    // A separator that is larger than any UTF-16 code unit.
    this.#high = Math.imul(high ^ 0x1_0000, 0x9e3779b1)
    this.#low = Math.imul(low ^ 0x1_0000, 0x5f356495)
  }

  /** Adds a hash. */
  addNumber(hash: number): void {
    this.#high = Math.imul(this.#high ^ (hash >>> 0), 0x9e3779b1)
    this.#low = Math.imul(this.#low ^ (hash / 4_294_967_296), 0x5f356495) ^ (this.#high >>> 16)
  }

  end(): string {
    return this.endNumber().toString(36)
  }

  endNumber(): number {
    let high = this.#high
    let low = this.#low
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
    return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
  }
}

import type { AttemptCounters } from './counts.ts'

/** The addresses from which the users of accounts came before. All are hashes. */
export interface KnownAddresses {
  has(account: string, address: string): Promise<boolean>
  /** The user of this account was there. */
  add(account: string, address: string): Promise<void>
}

const MAX_ADDRESSES = 8
const KEPT_SECONDS = 90 * 24 * 3600

/** Keeps a short list for each account. */
export function createKnownAddresses(counts: AttemptCounters): KnownAddresses {
  const listOf = async (account: string): Promise<string[]> => (await counts.read(`known ${account}`))?.split(' ') ?? []
  return {
    has: async (account, address) => (await listOf(account)).includes(address),
    async add(account, address) {
      const known = [address, ...(await listOf(account)).filter((one) => one !== address)]
      await counts.write(`known ${account}`, known.slice(0, MAX_ADDRESSES).join(' '), KEPT_SECONDS)
    },
  }
}

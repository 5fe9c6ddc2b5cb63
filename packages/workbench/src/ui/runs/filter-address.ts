import type { RunFilter } from '../../api.ts'

/** The part of a filter that is in the URL of a page: everything except paging. */
export type AddressFilter = Omit<RunFilter, 'before' | 'limit'>

const TEXTS = ['route', 'status', 'caller', 'identity', 'requestId', 'search'] as const

/** Reads the filter from a URL. */
export function fromAddress(address: URLSearchParams): AddressFilter {
  const texts = TEXTS.map((name) => [name, address.get(name) ?? ''] as const).filter(([, value]) => value !== '')
  const slower = Number(address.get('slower'))
  const filter: AddressFilter = Object.fromEntries(texts)
  return slower > 0 && Number.isFinite(slower) ? { ...filter, slower } : filter
}

/** Returns the query of a filter; empty if everything is shown. Equal filters have equal queries. */
export function toAddress(filter: AddressFilter): URLSearchParams {
  const names = [...TEXTS, 'slower'] as const
  const values = names.map((name) => [name, String(filter[name] ?? '')])
  return new URLSearchParams(values.filter(([name, value]) => value !== '' && !(name === 'slower' && value === '0')))
}

/** Returns a link to a page that keeps the filter, so that going back keeps it too. */
export function withFilter(link: string, filter: AddressFilter): string {
  const search = toAddress(filter).toString()
  return search === '' ? link : `${link}?${search}`
}

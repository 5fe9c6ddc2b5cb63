import type { RunFilter } from '../../api.ts'

/** The part of a filter that is stored in a page's URL: everything except paging. */
export type AddressFilter = Omit<RunFilter, 'before' | 'limit'>

const TEXTS = ['route', 'status', 'caller', 'identity', 'requestId', 'search'] as const

/** Reads the filter from a URL. */
export function fromAddress(address: URLSearchParams): AddressFilter {
  const texts = TEXTS.map((name) => [name, address.get(name) ?? ''] as const).filter(([, value]) => value !== '')
  const slower = Number(address.get('slower'))
  const filter: AddressFilter = Object.fromEntries(texts)
  return slower > 0 && Number.isFinite(slower) ? { ...filter, slower } : filter
}

/** Converts a filter to a query, which is empty if there is no filter. Equal filters have equal queries. */
export function toAddress(filter: AddressFilter): URLSearchParams {
  const names = [...TEXTS, 'slower'] as const
  const values = names.map((name) => [name, String(filter[name] ?? '')])
  return new URLSearchParams(values.filter(([name, value]) => value !== '' && !(name === 'slower' && value === '0')))
}

/** Adds a filter to a link, so that it is still set when the user goes back. */
export function withFilter(link: string, filter: AddressFilter): string {
  const search = toAddress(filter).toString()
  return search === '' ? link : `${link}?${search}`
}

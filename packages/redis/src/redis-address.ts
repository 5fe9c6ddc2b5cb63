/** A host and its port. */
export interface RedisHost {
  readonly host: string
  readonly port: number
}

/** The address of Redis, parsed from its URL. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster'
  readonly hosts: readonly RedisHost[]
  readonly isTls: boolean
  readonly username?: string
  readonly password?: string
  /** The name of the master in the Sentinel configuration. */
  readonly master?: string
  readonly db?: number
  /** The IP address family from the query parameter `family`: 4, 6, or 0 for both. */
  readonly family?: number
}

const FORMS =
  'redis://host:port/db, redis+sentinel://host:port,host:port/master/db or redis+cluster://host:port,host:port'
const URL_FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(?:#.*)?$/
const PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 }

/**
 * Parses a Redis URL, which begins with `rediss` for TLS. Throws a `TypeError` if the URL is invalid; its message does
 * not contain the password.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme, kind = 'single', user = '', hosts = '', path = '', query = ''] = URL_FORM.exec(url) ?? []
  if (scheme === undefined || !isAddressKind(kind))
    throw new TypeError(`a Redis URL must have one of these forms: ${FORMS}`)
  const names = path.split('/').filter((part) => part !== '')
  if (kind === 'sentinel' && names.length === 0)
    throw new TypeError(
      'the Redis URL must contain the name of the master: redis+sentinel://host:port,host:port/master/db',
    )
  const [master, db] = kind === 'sentinel' ? names : [undefined, names[0]]
  const [username = '', ...rest] = user.split(':')
  const password = rest.join(':')
  const family = new URLSearchParams(query).get('family')
  return {
    kind,
    hosts: hosts.split(',').map((text) => parseHost(text, PORTS[kind])),
    isTls: scheme === 'rediss',
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(master !== undefined && { master: decodeURIComponent(master) }),
    ...(family !== null && { family: Number(family) }),
    ...(db !== undefined && kind !== 'cluster' && { db: Number(db) }),
  }
}

function isAddressKind(text: string): text is RedisAddress['kind'] {
  return text in PORTS
}

/** Parses a host and an optional port. IPv6 addresses are in brackets. */
function parseHost(text: string, port: number): RedisHost {
  const [, host = '', given] = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
  if (host === '') throw new TypeError(`a Redis URL must have one of these forms: ${FORMS}`)
  return { host: host.replaceAll(/[[\]]/g, ''), port: given === undefined ? port : Number(given) }
}

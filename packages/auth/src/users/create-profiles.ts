import { addParentTable, type Database } from '@sdk/database'
import type { ListQuery, RelationTarget, Row, Store } from '@sdk/server'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { toVisibleUser } from '../session/visible-user.ts'
import type { UserField, UserFields } from '../user-fields.ts'

type JsonSchema = NonNullable<RelationTarget['representation']>['schema']

const BUILT_IN_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string' },
  image: { type: ['string', 'null'] },
  email: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
}

interface ProfilesDependencies {
  readonly database: Database | null
  readonly userFields: UserFields
  start(): Promise<BetterAuth>
}

/** Creates user profiles with these fields. Throws a `TypeError` if a field does not exist or is not returned. */
export function createProfiles(
  { database, userFields, start }: ProfilesDependencies,
  names: readonly string[],
): RelationTarget {
  const properties = Object.fromEntries(names.map((name) => [name, toFieldSchema(name, userFields[name])]))
  const schema = { type: 'object', required: ['id', ...names], properties: { id: { type: 'string' }, ...properties } }
  const store: Store = {
    list: (query) =>
      orUnavailable(async () => {
        const library = await start()
        const where = [{ field: 'id', operator: 'in' as const, value: idsOf(query) }]
        const found = await library.context.internalAdapter.listUsers(query.limit, 0, undefined, where)
        return { rows: found.map((user) => toVisibleUser(user, library) as unknown as Row) }
      }),
  }
  return {
    name: 'profiles',
    shape: { name: 'profiles', fields: [], filter: [], sort: [], unique: [] },
    fieldSchema: { fields: [], input: schema, output: schema },
    definition: { access: 'public', description: 'A user profile' },
    store: database === null ? store : withReferences(store, database, start),
    representation: {
      idType: 'string',
      schema,
      toText: (user) =>
        JSON.stringify({ id: user.id, ...Object.fromEntries(names.map((name) => [name, user[name] ?? null])) }),
    },
    '~types': undefined as never,
  }
}

/** Lets tables in the same database reference users. */
function withReferences(store: Store, database: Database, start: () => Promise<unknown>): Store {
  const checked: Store = {
    ...store,
    // Does not use Better Auth, which cannot take part in the app's transactions.
    async get({ id }) {
      const text = String(id)
      const found = text.includes('\0') ? [] : await database.query('select id from "user" where id = $1', [text])
      return (found[0] ?? null) as Row | null
    },
  }
  return addParentTable(checked, { database, table: 'user', create: async () => void (await start()) })
}

/** Returns the ids that a relation looks up, except those with NUL characters, which PostgreSQL rejects. */
function idsOf({ conditions }: ListQuery): string[] {
  const values: unknown[] = conditions.flatMap(({ field, value }) => (field === 'id' ? value : []))
  return values.map(String).filter((id) => !id.includes('\0'))
}

function toFieldSchema(name: string, field: UserField | undefined): JsonSchema {
  const found = BUILT_IN_FIELDS[name] ?? (field !== undefined && field.returned !== false ? toOwnSchema(field) : null)
  if (found === null)
    throw new TypeError(
      `auth.profiles: fields must be name, image, email, createdAt or userFields without returned: false, got ${name}`,
    )
  return found
}

function toOwnSchema({ type, required, default: fallback }: UserField): JsonSchema {
  const base = type === 'date' ? 'string' : type
  const isNullable = !(required ?? fallback !== undefined)
  return { type: isNullable ? [base, 'null'] : base, ...(type === 'date' && { format: 'date-time' }) }
}

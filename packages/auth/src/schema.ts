import {
  boolean,
  type ExtraConfigColumn,
  foreignKey,
  index,
  type PgColumn,
  pgTable,
  type PgTableWithColumns,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

/** The TypeScript types of the columns. A question mark means that the column is nullable. */
interface Shapes {
  id: { dataType: 'string'; columnType: 'PgText'; data: string; notNull: true; hasDefault: false; isKey: true }
  text: { dataType: 'string'; columnType: 'PgText'; data: string; notNull: true; hasDefault: false; isKey: false }
  'text?': { dataType: 'string'; columnType: 'PgText'; data: string; notNull: false; hasDefault: false; isKey: false }
  flag: { dataType: 'boolean'; columnType: 'PgBoolean'; data: boolean; notNull: true; hasDefault: false; isKey: false }
  time: { dataType: 'date'; columnType: 'PgTimestamp'; data: Date; notNull: true; hasDefault: false; isKey: false }
  'time?': { dataType: 'date'; columnType: 'PgTimestamp'; data: Date; notNull: false; hasDefault: false; isKey: false }
  /** A time that defaults to the current time. */
  now: { dataType: 'date'; columnType: 'PgTimestamp'; data: Date; notNull: true; hasDefault: true; isKey: false }
}

type AuthColumn<Table extends string, Name extends string, Shape extends Shapes[keyof Shapes]> = PgColumn<{
  name: Name
  tableName: Table
  dataType: Shape['dataType']
  columnType: Shape['columnType']
  data: Shape['data']
  driverParam: Shape['data'] extends boolean ? boolean : string
  notNull: Shape['notNull']
  hasDefault: Shape['hasDefault']
  isPrimaryKey: Shape['isKey']
  isAutoincrement: false
  hasRuntimeDefault: false
  enumValues: Shape['data'] extends string ? [string, ...string[]] : undefined
  baseColumn: never
  identity: undefined
  generated: undefined
}>

/** The type of an auth table in Drizzle, derived from the shapes of its columns. */
export type AuthTable<Table extends string, Columns extends Record<string, keyof Shapes>> = PgTableWithColumns<{
  name: Table
  schema: undefined
  dialect: 'pg'
  columns: { [Name in keyof Columns & string]: AuthColumn<Table, Name, Shapes[Columns[Name]]> }
}>

const time = () => timestamp({ withTimezone: true })

const BUILDERS = {
  id: () => text().primaryKey(),
  text: () => text().notNull(),
  'text?': () => text(),
  flag: () => boolean().notNull(),
  time: () => time().notNull(),
  'time?': () => time(),
  now: () => time().notNull().defaultNow(),
}

type Builders<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends keyof Shapes ? ReturnType<(typeof BUILDERS)[Columns[Name]]> : never
}

function toBuilders<Columns extends Record<string, keyof Shapes>>(columns: Columns): Builders<Columns> {
  const entries = Object.entries(columns).map(([name, shape]) => [name, BUILDERS[shape]()])
  return Object.fromEntries(entries) as Builders<Columns>
}

const USER = {
  id: 'id',
  name: 'text',
  email: 'text',
  emailVerified: 'flag',
  image: 'text?',
  createdAt: 'now',
  updatedAt: 'now',
} as const

/** The user table. To add fields, define your own table with these columns and your additional columns. */
export const user: AuthTable<'user', typeof USER> = pgTable('user', {
  ...toBuilders(USER),
  email: text().notNull().unique('user_email_key'),
})

const SESSION = {
  id: 'id',
  expiresAt: 'time',
  token: 'text',
  createdAt: 'now',
  updatedAt: 'time',
  ipAddress: 'text?',
  userAgent: 'text?',
  userId: 'text',
} as const

/** The session table. */
export const session: AuthTable<'session', typeof SESSION> = pgTable(
  'session',
  { ...toBuilders(SESSION), token: text().notNull().unique('session_token_key') },
  ({ userId }) => referToUser('session', userId),
)

const ACCOUNT = {
  id: 'id',
  accountId: 'text',
  providerId: 'text',
  userId: 'text',
  accessToken: 'text?',
  refreshToken: 'text?',
  idToken: 'text?',
  accessTokenExpiresAt: 'time?',
  refreshTokenExpiresAt: 'time?',
  scope: 'text?',
  password: 'text?',
  createdAt: 'now',
  updatedAt: 'time',
} as const

/** The table of user credentials: passwords, and accounts with other providers. */
export const account: AuthTable<'account', typeof ACCOUNT> = pgTable('account', toBuilders(ACCOUNT), ({ userId }) =>
  referToUser('account', userId),
)

const VERIFICATION = {
  id: 'id',
  identifier: 'text',
  value: 'text',
  expiresAt: 'time',
  createdAt: 'now',
  updatedAt: 'now',
} as const

/** The table of tokens for links sent by email. */
export const verification: AuthTable<'verification', typeof VERIFICATION> = pgTable(
  'verification',
  toBuilders(VERIFICATION),
  ({ identifier }) => [index('verification_identifier_idx').on(identifier)],
)

function referToUser(table: string, userId: ExtraConfigColumn) {
  return [
    index(`${table}_userId_idx`).on(userId),
    foreignKey({ name: `${table}_userId_fkey`, columns: [userId], foreignColumns: [user.id] }).onDelete('cascade'),
  ]
}

import {
  boolean,
  foreignKey,
  index,
  type PgColumn,
  pgTable,
  type PgTableWithColumns,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

/** What a column is in TypeScript; a question mark: it may be null. */
interface Shapes {
  id: { dataType: 'string'; columnType: 'PgText'; data: string; notNull: true; hasDefault: false; isKey: true }
  text: { dataType: 'string'; columnType: 'PgText'; data: string; notNull: true; hasDefault: false; isKey: false }
  'text?': { dataType: 'string'; columnType: 'PgText'; data: string; notNull: false; hasDefault: false; isKey: false }
  flag: { dataType: 'boolean'; columnType: 'PgBoolean'; data: boolean; notNull: true; hasDefault: false; isKey: false }
  time: { dataType: 'date'; columnType: 'PgTimestamp'; data: Date; notNull: true; hasDefault: false; isKey: false }
  'time?': { dataType: 'date'; columnType: 'PgTimestamp'; data: Date; notNull: false; hasDefault: false; isKey: false }
  /** Now, where an insert says nothing. */
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

/** A Drizzle table of auth, by the shapes of its columns. */
export type AuthTable<Table extends string, Columns extends Record<string, keyof Shapes>> = PgTableWithColumns<{
  name: Table
  schema: undefined
  dialect: 'pg'
  columns: { [Name in keyof Columns & string]: AuthColumn<Table, Name, Shapes[Columns[Name]]> }
}>

const time = () => timestamp({ withTimezone: true })

/** Who can sign in. To give users more fields, write a table of your own with these columns and those. */
export const user: AuthTable<
  'user',
  {
    id: 'id'
    name: 'text'
    email: 'text'
    emailVerified: 'flag'
    image: 'text?'
    createdAt: 'now'
    updatedAt: 'now'
  }
> = pgTable('user', {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique('user_email_key'),
  emailVerified: boolean().notNull(),
  image: text(),
  createdAt: time().notNull().defaultNow(),
  updatedAt: time().notNull().defaultNow(),
})

/** Who is signed in, and where. */
export const session: AuthTable<
  'session',
  {
    id: 'id'
    expiresAt: 'time'
    token: 'text'
    createdAt: 'now'
    updatedAt: 'time'
    ipAddress: 'text?'
    userAgent: 'text?'
    userId: 'text'
  }
> = pgTable(
  'session',
  {
    id: text().primaryKey(),
    expiresAt: time().notNull(),
    token: text().notNull().unique('session_token_key'),
    createdAt: time().notNull().defaultNow(),
    updatedAt: time().notNull(),
    ipAddress: text(),
    userAgent: text(),
    userId: text().notNull(),
  },
  (table) => [
    index('session_userId_idx').on(table.userId),
    foreignKey({ name: 'session_userId_fkey', columns: [table.userId], foreignColumns: [user.id] }).onDelete('cascade'),
  ],
)

/** The ways in which a user can sign in: a password, an account elsewhere. */
export const account: AuthTable<
  'account',
  {
    id: 'id'
    accountId: 'text'
    providerId: 'text'
    userId: 'text'
    accessToken: 'text?'
    refreshToken: 'text?'
    idToken: 'text?'
    accessTokenExpiresAt: 'time?'
    refreshTokenExpiresAt: 'time?'
    scope: 'text?'
    password: 'text?'
    createdAt: 'now'
    updatedAt: 'time'
  }
> = pgTable(
  'account',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    providerId: text().notNull(),
    userId: text().notNull(),
    accessToken: text(),
    refreshToken: text(),
    idToken: text(),
    accessTokenExpiresAt: time(),
    refreshTokenExpiresAt: time(),
    scope: text(),
    password: text(),
    createdAt: time().notNull().defaultNow(),
    updatedAt: time().notNull(),
  },
  (table) => [
    index('account_userId_idx').on(table.userId),
    foreignKey({ name: 'account_userId_fkey', columns: [table.userId], foreignColumns: [user.id] }).onDelete('cascade'),
  ],
)

/** What was sent out and must come back: the tokens of links. */
export const verification: AuthTable<
  'verification',
  { id: 'id'; identifier: 'text'; value: 'text'; expiresAt: 'time'; createdAt: 'now'; updatedAt: 'now' }
> = pgTable(
  'verification',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: time().notNull(),
    createdAt: time().notNull().defaultNow(),
    updatedAt: time().notNull().defaultNow(),
  },
  (table) => [index('verification_identifier_idx').on(table.identifier)],
)

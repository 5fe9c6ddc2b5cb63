import type { Fault } from './fault.ts'

/** Faults of the database and of Redis. */
export const DATA_FAULTS: readonly Fault[] = [
  {
    name: 'database: a keyset compares with >=',
    file: 'packages/database/src/table/keyset.ts',
    from: "${isDescending ? '<' : '>'}",
    to: "${isDescending ? '<' : '>='}",
    tests: ['packages/database/src/table/row-store.test.ts'],
  },
  {
    name: 'database: get, replace and delete leave out the access rule',
    file: 'packages/database/src/table/statements.ts',
    from: '    ...toWhereConditions(layout, where, parameters),\n',
    to: '',
    tests: ['packages/database/src/table/row-store.test.ts'],
  },
  {
    name: 'database: "not equal" leaves out rows without a value',
    file: 'packages/database/src/table/conditions.ts',
    from: "ne: 'is distinct from',",
    to: "ne: '<>',",
    tests: ['packages/database/src/table/row-store.test.ts'],
  },
  {
    name: 'database: a migration makes columns without NOT NULL',
    file: 'packages/database/src/migrate/table-design.ts',
    from: "${isNullable ? '' : ' not null'}",
    to: '',
    tests: ['packages/database/src/table/table.test.ts'],
  },
  {
    name: 'database: work under one idempotency key runs again',
    file: 'packages/database/src/table/stored-results.ts',
    from: '    where kept.expires_at <= now()\n    returning key',
    to: '    returning key',
    tests: ['packages/database/src/table/stored-results.test.ts'],
  },
  {
    name: 'database: the notification listener does not subscribe again after a reconnect',
    file: 'packages/database/src/engine/notification-listener.ts',
    from: 'await next.query(`listen ${options.channel}`)',
    to: 'if (attempt === 0) await next.query(`listen ${options.channel}`)',
    tests: ['packages/database/src/engine/notification-listener.test.ts'],
  },
  {
    name: 'redis: a lost connection does not reconnect',
    file: 'packages/redis/src/redis-connection.ts',
    from: 'return retryDelay(attempt)',
    to: 'return attempt > 0 ? null : retryDelay(attempt)',
    tests: ['packages/redis/src/redis-engine.test.ts'],
  },
  {
    name: 'redis: a password is cut at its first colon',
    file: 'packages/redis/src/redis-address.ts',
    from: "const password = rest.join(':')",
    to: "const [password = ''] = rest",
    tests: ['packages/redis/src/redis-address.test.ts'],
  },
]

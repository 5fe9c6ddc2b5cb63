import type { Fault } from './fault.ts'

/** Faults of protocol, frontend and react. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'protocol: a CR LF that arrives in two chunks counts as two line ends',
    file: 'packages/protocol/src/sse.ts',
    from: "const rest = endedWithCR ? text.replace(/^\\n/, '') : text",
    to: 'const rest = text',
    tests: ['packages/protocol/src/sse.test.ts'],
  },
  {
    name: 'protocol: a cursor of another list is accepted',
    file: 'packages/protocol/src/page.ts',
    from: "if (name !== list) throw invalidCursor('belongs to a list with a different sort or filters')\n",
    to: '',
    tests: ['packages/protocol/src/page.test.ts'],
  },
  {
    name: 'protocol: a path parameter may be ".."',
    file: 'packages/protocol/src/route.ts',
    from: '/^\\.{0,2}$|[\\0\\p{Surrogate}]/u',
    to: '/^\\.{0,1}$|[\\0\\p{Surrogate}]/u',
    tests: ['packages/protocol/src/route.test.ts'],
  },
  {
    name: 'frontend: a POST without a key is sent again',
    file: 'packages/frontend/src/http/retries.ts',
    from: '/^[^P]|^PUT/',
    to: '/^[^P]|^PUT|^POST/',
    tests: ['packages/frontend/src/http/retries.test.ts'],
  },
  {
    name: 'frontend: retries do not back off',
    file: 'packages/frontend/src/backoff.ts',
    from: 'Math.min(max, base * 2 ** attempt)',
    to: 'Math.min(max, base + 0 * attempt)',
    tests: ['packages/frontend/src/backoff.test.ts'],
  },
  {
    name: 'frontend: a socket delivers a repeated message twice',
    file: 'packages/frontend/src/socket/inbox.ts',
    from: 'else if (!room && i > received) {',
    to: 'else if (!room && i >= received) {',
    tests: ['packages/frontend/src/socket/inbox.test.ts'],
  },
  {
    name: 'frontend: an acknowledgement removes one message too many',
    file: 'packages/frontend/src/socket/outbox.ts',
    from: 'while (handled < upTo && entries[0]?.sentAt)',
    to: 'while (handled <= upTo && entries[0]?.sentAt)',
    tests: ['packages/frontend/src/socket/outbox.test.ts'],
  },
  {
    name: 'frontend: a request is repeated with the token of the next user',
    file: 'packages/frontend/src/http/authorize.ts',
    from: 'fresh !== token && ownerOf() === owner && setToken(fresh)',
    to: 'fresh !== token && setToken(fresh)',
    tests: ['packages/frontend/src/http/authorize.test.ts'],
  },
  {
    name: 'react: a failed mutation undoes the optimistic changes of others',
    file: 'packages/react/src/optimistic.ts',
    from: '[...changes].reduce<unknown>((shown, change) => change(shown), base)',
    to: 'base',
    tests: ['packages/react/src/optimistic.test.tsx'],
  },
  {
    name: 'react: users share cached data',
    file: 'packages/react/src/api-query.ts',
    from: 'input.identity ?? null])',
    to: 'null])',
    tests: ['packages/react/src/api-query.test.tsx'],
  },
]

import type { ExplainPage } from './page.ts'

/** Pages for the codes of mutations with `offline: true`. */
export const OUTBOX_PAGES: Readonly<Record<string, ExplainPage>> = {
  OUTBOX_FULL: {
    means: 'The outbox for mutations with offline: true is full. Only the client throws this error.',
    why: '1,000 mutations or 5 MB wait for the server, because the browser is offline or the server is unavailable.',
    fix: 'Show what waits with useOutbox, and let the user continue when the mutations have been sent.',
    example: `const { items, retry, discard } = useOutbox()`,
  },
  OUTBOX_EXPIRED: {
    means: 'A mutation with offline: true was not sent again. Only the client throws this error.',
    why: 'Its first attempt was 23 hours ago, and none had a response. The server knows an Idempotency-Key for 24 hours, so another attempt could execute the mutation twice.',
    fix: 'Check whether the change was made, and make it again if it was not.',
    example: `if (item.error?.code === 'OUTBOX_EXPIRED') await discard(item.id)`,
  },
  OUTBOX_DISCARDED: {
    means: 'A mutation with offline: true was removed from the outbox. Only the client throws this error.',
    why: 'The app called discard of useOutbox, in this or another tab, or signOut({ discard: true }).',
    fix: 'Nothing: the optimistic change of the mutation is undone. It may already have reached the server.',
    example: `await discard(item.id)`,
  },
  OUTBOX_NOT_EMPTY: {
    means: 'The user cannot sign out yet. Only the client throws this error.',
    why: 'Mutations with offline: true wait for the server, and would be sent only after the same user has signed in again.',
    fix: 'Wait until useOutbox shows no items, or let the user decide to lose the changes.',
    example: `await signOut({ discard: true })`,
  },
}

/** What a log line may carry beside its message. */
export type LogFields = Record<string, unknown>

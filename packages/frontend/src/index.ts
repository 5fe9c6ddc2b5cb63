export type { AuthSnapshot, AuthSource, AuthUser } from './auth-source.ts'

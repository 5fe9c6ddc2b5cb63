'use client'

// The providers that wrap an app.
export { AuthProvider, type AuthProviderProps } from './auth-provider.tsx'
export { SdkProvider, type SdkProviderProps } from './sdk-provider.tsx'
export {
  useSdk,
  type LiveData,
  type LiveInput,
  type LiveSettings,
  type OfflineClient,
  type QueryClientLike,
  type Sdk,
} from './sdk-context.ts'

// Routes and agents.
export { useAPI } from './use-api.ts'
export type {
  ApiBaseOptions,
  ApiBaseResult,
  ApiMutationOptions,
  ApiMutationResult,
  ApiOptions,
  ApiOutput,
  ApiQueryOptions,
  ApiQueryResult,
  ApiResult,
  InvokeArguments,
  InvokeOptions,
} from './api-options.ts'
export type { OptimisticCache } from './optimistic.ts'
export type { QueryRoute } from './query-route.ts'
export { usePages, type PageItem, type PagesOptions, type PagesResult } from './use-pages.ts'
export { apiQueryOptions, type ApiQuery } from './api-query.ts'

// Users and sockets.
export { useAuth, type AuthResult } from './use-auth.ts'
export { useWebsocket, type WebsocketOptions, type WebsocketResult } from './use-websocket.ts'

// Errors.
export { isApiError, type ApiError } from '@sdk/protocol'

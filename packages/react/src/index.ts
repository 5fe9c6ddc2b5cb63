'use client'

export { AuthProvider, type AuthProviderProps } from './auth-provider.tsx'
export { SdkProvider, type SdkProviderProps } from './sdk-provider.tsx'
export { useSdk, type QueryClientLike, type Sdk } from './sdk-context.ts'
export {
  useAPI,
  type ApiBaseOptions,
  type ApiBaseResult,
  type ApiMutationOptions,
  type ApiMutationResult,
  type ApiOptions,
  type ApiQueryOptions,
  type ApiQueryResult,
  type ApiResult,
  type InvokeArguments,
} from './use-api.ts'
export { useAuth, type AuthResult } from './use-auth.ts'
export { useWebsocket, type WebsocketOptions, type WebsocketResult } from './use-websocket.ts'

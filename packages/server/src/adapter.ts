export { closeApp } from './adapter/close-app.ts'
export { toCloseReason } from './adapter/close-reason.ts'
export { PlatformTransport, type PlatformSocket } from './adapter/platform-transport.ts'
export {
  createSocketClients,
  type AdmittedClient,
  type ConnectedClient,
  type RejectedClient,
  type SocketClients,
} from './adapter/socket-clients.ts'
export { fromWebRequest, toResponse } from './app/fetch-adapter.ts'
export { errorReply, type ErrorReply } from './http/error-response.ts'
export { toRefusal, type ConnectionEnd } from './socket/connection-end.ts'

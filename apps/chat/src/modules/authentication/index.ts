export { AuthenticationController } from './authentication.controller.js';
export { DevAuthenticationController } from './dev-authentication.controller.js';
export { SignIn } from './sign-in.action.js';

import { attackSubjects } from './subjects-of-attacks.js';
import { chatSubjects } from './chat/index.js';
import { signInToChat } from './chat/hostile-chat-session.js';

attackSubjects({ app: 'chat', subjects: chatSubjects, signIn: signInToChat });
